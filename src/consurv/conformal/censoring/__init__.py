"""What a censored subject contributes to F: rules, and the laws that they follow."""
