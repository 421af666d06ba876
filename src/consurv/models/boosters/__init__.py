"""Gradient boosting by XGBoost and CatBoost, as estimators that take our outcomes."""
