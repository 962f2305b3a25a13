"""Document processing in the accounts office of an invented haulier."""

WORKFLOW = "document-processing"
