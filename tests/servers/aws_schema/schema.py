"""Write schema.json, the AWS provider's schema of what infra/terraform uses, from its bindings for JavaScript.

`npm pack @cdktf/provider-aws@21.22.1`, unpack it, and run `python schema.py package/lib`. That version was generated
from the provider's version 6.25.0.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

TERRAFORM = Path(__file__).resolve().parents[3] / "infra" / "terraform"
ENTRY = re.compile(
    r"^\s+(\w+): \{\s+value: (.*?),\s+isBlock: (\w+),\s+type: \"(\w+)\",\s+storageClassType: \"(\w+)\",\s+\}",
    re.MULTILINE | re.DOTALL,
)
COMPUTED = re.compile(r"this\.get(\w+)Attribute\('(\w+)'\)")
KINDS = {"Number": "number", "Boolean": "boolean", "List": "stringList"}


def required(types: str, interface: str) -> set[str]:
    """The names that an interface demands, in lower case."""
    found = re.search(
        rf"export interface {interface} (?:extends [\w.]+ )?\{{(.*?)^\}}", types, re.DOTALL | re.MULTILINE
    )
    return {name.lower() for name in re.findall(r"readonly (\w+):", found.group(1) if found else "")}


def block(code: str, types: str, header: str, interface: str) -> dict[str, Any]:
    """What is in one block: its attributes, and its blocks."""
    start = code.index("const attrs = {", code.index(header))
    needed = required(types, interface)
    attributes: dict[str, Any] = {}
    blocks: dict[str, Any] = {}
    for name, value, is_block, nesting, kind in ENTRY.findall(code[start : code.index("// remove undefined", start)]):
        must = {"required": True} if name.replace("_", "") in needed else {}
        if is_block == "true":
            function = re.search(r"(\w+)ToHclTerraform\b", value)[1]
            inner = block(code, types, f"function {function}ToHclTerraform(", function[0].upper() + function[1:])
            blocks[name] = {"nesting": nesting, **must, **inner}
        else:
            attributes[name] = {"type": kind, **({"set": True} if nesting == "set" else {}), **must}
    return {key: each for key, each in (("attributes", attributes), ("blocks", blocks)) if each}


def of_type(library: Path, kind: str, base: str) -> dict[str, Any]:
    """A resource or a data source."""
    for types_file in library.glob("*/index.d.ts"):
        types = types_file.read_text(encoding="utf-8")
        if f'tfResourceType = "{kind}"' in types and (
            found := re.search(rf"class (\w+) extends cdktf\.{base} ", types)
        ):
            code = types_file.with_name("index.js").read_text(encoding="utf-8")
            own = block(code, types, "synthesizeHclAttributes()", f"{found[1]}Config")
            for how, name in COMPUTED.findall(code[code.index(f"class {found[1]} extends") :]):
                own["attributes"].setdefault(name, {"type": KINDS.get(how, "string"), "computed": True})
            return own
    raise LookupError(kind)


def main() -> None:
    library = Path(sys.argv[1])
    text = "\n".join(file.read_text(encoding="utf-8") for file in TERRAFORM.rglob("*.tf"))
    used = {word: sorted(set(re.findall(rf'^{word} "(aws_\w+)"', text, re.MULTILINE))) for word in ("resource", "data")}
    provider = (library / "provider" / name for name in ("index.js", "index.d.ts"))
    code, types = (file.read_text(encoding="utf-8") for file in provider)
    found = {
        "provider": block(code, types, "synthesizeHclAttributes()", "AwsProviderConfig"),
        "resources": {kind: of_type(library, kind, "TerraformResource") for kind in used["resource"]},
        "data": {kind: of_type(library, kind, "TerraformDataSource") for kind in used["data"]},
    }
    text = json.dumps(found, separators=(",", ":")).replace('},"aws_', '},\n"aws_')
    Path(__file__).with_name("schema.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
