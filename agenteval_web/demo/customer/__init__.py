"""Customer service of an invented furniture shop."""

WORKFLOW = "customer-service"
