"""The paper's own settings, as its authors' released code has them, beside ours."""
