"""From what the user gives to rows, raw curves and predictions."""
