"""Parts of the soak under attack, `attack_soak.py`."""
