"""Raw and calibrated: models of other libraries as consurv takes them.

Boosters of XGBoost and CatBoost are trained and cross-fitted by ``ConformalSurvival``;
networks of pycox and torchsurv come trained and are conformalized on a fifth of the
training rows. ``python -m studies.libraries`` runs it.
"""
