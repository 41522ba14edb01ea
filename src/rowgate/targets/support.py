"""What targets share."""


class NotEnforcedError(Exception):
    """A target cannot say a rule. The message is one sentence for the artefact's reader; the engines still judge it."""
