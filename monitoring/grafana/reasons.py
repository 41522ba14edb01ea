"""The panels of *Data quality* that say why rows were rejected."""

from grafana_foundation_sdk.builders import barchart, bargauge, common, dashboard, text
from grafana_foundation_sdk.models import common as options
from grafana_foundation_sdk.models import dashboard as model
from grafana_foundation_sdk.models.text import TextMode
from panels import (
    BAD,
    GOOD,
    NEVER_RAN,
    ORANGE,
    PURPLE,
    SKY,
    SOURCE,
    VERMILION,
    WARNING,
    Panel,
    bars,
    column,
    joined,
    link,
    now,
    query,
    rows,
    steps,
)
from promql import by_reason, change_of_reason, share_of_reason

_ATHENA = "https://${region}.console.aws.amazon.com/athena/home?region=${region}#/query-editor"

_HOW_TO_SEE_ROWS = """\
On the command line, for one reason of the table:

```
rowgate query --saved ${contract}_rejected_records --value REASON
```

and for all reasons at once: `rowgate query --saved ${contract}_rejections_by_reason`. In
[Athena](https://${region}.console.aws.amazon.com/athena/home?region=${region}#/query-editor) the saved queries have the
same names. With personal fields masked: [the page of a run](${page}).
"""


def panels() -> list[Panel | text.Panel]:
    """All of them, in their order."""
    return [_reasons_over_time(), _reasons(), _first_and_all(), _warnings(), _rejected_records()]


def _reasons_over_time() -> Panel:
    panel = bars(
        "Rejections by reason",
        "Rejected rows of the last run before each moment, by the first rule that each broke: a stack is all that was "
        "rejected. The legend names each colour with its newest figure, as the table below does without colours.",
    )
    panel = panel.with_target(query("A", by_reason("rejected"), "{{reason}}")).no_value(NEVER_RAN).span(24)
    return panel.color_scheme(dashboard.FieldColor().mode(model.FieldColorModeId.PALETTE_CLASSIC_BY_NAME))


def _reasons() -> Panel:
    panel = rows(
        "Reasons",
        "Of the last run: rows by the first rule that they broke, that as a share of all rows, by how many percentage "
        "points the share differs from the good run before, and rows that broke the rule at all. A reason leads to the "
        "saved query.",
        {
            "reason": "Reason",
            "Value #A": "Rejected",
            "Value #B": "Share",
            "Value #C": "Change",
            "Value #D": "Broke the rule",
        },
    )
    for ref, expression in zip(
        "ABCD",
        (by_reason("rejected"), share_of_reason(), change_of_reason(), by_reason("violations")),
        strict=True,
    ):
        panel = panel.with_target(now(ref, expression))
    links = [
        link("In Athena: run the saved query ${contract}_rejected_records for ${__value.raw}", _ATHENA, new_tab=True),
        link("The page of a run, with personal fields masked", "${page}", new_tab=True),
    ]
    panel = panel.no_value("-").override_by_name("Reason", column(links=links))
    panel = panel.override_by_name("Share", column(unit="percentunit", decimals=2))
    change = steps((-0.01, GOOD), (0.01, WARNING), (0.05, BAD), base=GOOD)
    panel = panel.override_by_name("Change", column(unit="percentunit", decimals=2, thresholds=change))
    largest = common.TableSortByFieldState().display_name("Rejected").desc(True)  # noqa: FBT003 - the SDK's
    return panel.sort_by([largest]).span(14).height(10)


def _first_and_all() -> Panel:
    panel = barchart.Panel().title("First reason, and every reason")
    panel = panel.description(
        "A row is rejected for the first rule that it breaks, and may break others: where the second bar is longer, "
        "mending the first rule's cause alone lets fewer rows in than it seems."
    )
    panel = panel.datasource(SOURCE).unit("short").thresholds(steps()).no_value(NEVER_RAN).min(0)
    panel = panel.with_target(now("A", by_reason("rejected"))).with_target(now("B", by_reason("violations")))
    panel = panel.orientation(options.VizOrientation.HORIZONTAL).x_field("Reason").fill_opacity(80)
    panel = panel.show_value(options.VisibilityMode.AUTO).legend(
        common.VizLegendOptions()
        .show_legend(True)  # noqa: FBT003 - the SDK's
        .display_mode(options.LegendDisplayMode.LIST)
        .placement(options.LegendPlacement.BOTTOM)
    )
    panel = joined(panel, {"reason": "Reason", "Value #A": "first broken", "Value #B": "broken at all"})
    panel = panel.override_by_name("first broken", column(color=VERMILION))
    return panel.override_by_name("broken at all", column(color=PURPLE)).span(10).height(10)  # type: ignore[no-any-return]


def _warnings() -> Panel:
    panel = bargauge.Panel().title("Warnings").datasource(SOURCE).unit("short")
    panel = panel.description(
        "Rows of the last run that were accepted although they broke a rule that only warns, by that rule."
    )
    panel = panel.with_target(query("A", by_reason("warnings"), "{{reason}}")).min(0)
    panel = panel.reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"])).thresholds(
        steps((1, ORANGE), base=SKY)
    )
    panel = panel.orientation(options.VizOrientation.HORIZONTAL).display_mode(options.BarGaugeDisplayMode.BASIC)
    return panel.no_value("No rule of this contract only warns").span(12).height(8)


def _rejected_records() -> text.Panel:
    panel = text.Panel().title("See the rejected rows").mode(TextMode.MARKDOWN).content(_HOW_TO_SEE_ROWS)
    return panel.description("Ways to the rows themselves, which are never in a metric.").span(12).height(8)
