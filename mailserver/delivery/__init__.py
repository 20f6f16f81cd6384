"""Delivering mails from the outbox."""
