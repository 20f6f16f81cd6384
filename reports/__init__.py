"""Mails and pages: one class for each report, one template for each mail."""
