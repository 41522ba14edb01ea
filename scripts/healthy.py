"""Ends with 0 when a page answers, for health checks in an image that has neither curl nor wget.

Arguments: the page's address, and optionally the part of Airflow (`scheduler`, `dag_processor`, `triggerer`) that the
page, Airflow's `/api/v2/monitor/health`, must call healthy.
"""

import json
import sys
import urllib.request


def main() -> int:
    """Ask the page."""
    address, *part = sys.argv[1:]
    # No proxy: it could not reach a container's neighbour.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(address, timeout=5) as answer:
            told = answer.read()
        if part and (state := json.loads(told)[part[0]]["status"]) != "healthy":
            print(f"{part[0]} is {state}", file=sys.stderr)
            return 1
    except (OSError, ValueError) as error:
        print(f"{address}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
