"""The vocabularies in which senders describe spans, one module each."""
