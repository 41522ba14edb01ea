"""The keys of one mapping of the standard, in which a key without a value counts as left out."""

from collections.abc import Iterator

from rowgate.contract.odcs_keys import label
from rowgate.contract.yaml_document import Entries, Items, Node, Problems, Scalar
from rowgate.contract.yaml_fields import Fields


class OdcsFields(Fields):
    """One mapping of the file."""

    def __init__(self, node: Entries, path: str, problems: Problems) -> None:
        """Look at a mapping; which keys it may have is looked at elsewhere."""
        super().__init__(node, path, problems)

    def __contains__(self, key: str) -> bool:
        return self.node(key) is not None

    def node(self, key: str) -> Node | None:
        """What stands under a key, None when nothing does."""
        node = self._entries[key][1] if key in self._entries else None
        return None if isinstance(node, Scalar) and node.empty else node

    def listed(self, key: str) -> Iterator["OdcsFields"]:
        """The mappings of a list; what has another shape is told by the standard's own model."""
        node = self.node(key)
        for place, item in enumerate(node.items if isinstance(node, Items) else (), start=1):
            if isinstance(item, Entries):
                yield OdcsFields(item, f"{self.at(key)}.{label(item, place)}", self.problems)

    def inner(self, key: str) -> "OdcsFields | None":
        """A mapping, None when there is none."""
        node = self.node(key)
        return OdcsFields(node, self.at(key), self.problems) if isinstance(node, Entries) else None

    def refuse_others(self, *supported: str) -> None:
        """Keep a problem for every key with a value that is not one of these."""
        for key in self:
            if (
                key not in supported
                and key in self
                and not self._says_nothing(key)
                and not self.problems.names(self.at(key))
            ):
                self.problem(key, "is not supported: the contract has nothing like it.")

    def _says_nothing(self, key: str) -> bool:
        node = self.node(key)
        if isinstance(node, Scalar):
            return node.text.casefold() == "false"
        return (isinstance(node, Items) and not node.items) or (isinstance(node, Entries) and not node.entries)
