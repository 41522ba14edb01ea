"""What the panels of the dashboards share: colours, thresholds, queries, links."""

from collections.abc import Mapping, Sequence
from typing import Any

from grafana_foundation_sdk.builders import barchart, bargauge, common, dashboard, prometheus, stat, table, timeseries
from grafana_foundation_sdk.models import common as options
from grafana_foundation_sdk.models import dashboard as model
from grafana_foundation_sdk.models.prometheus import PromQueryFormat

# Okabe and Ito's colours, which people with any colour vision tell apart (jfly.uni-koeln.de/color).
BLUE, ORANGE, VERMILION, GREEN, SKY, PURPLE, GREY = (
    "#0072B2",
    "#E69F00",
    "#D55E00",
    "#009E73",
    "#56B4E9",
    "#CC79A7",
    "#999999",
)
GOOD, WARNING, BAD = BLUE, ORANGE, VERMILION

SOURCE = model.DataSourceRef(type_val="prometheus", uid="${datasource}")

NEVER_RAN = "No run of this contract is known"

Panel = timeseries.Panel | stat.Panel | table.Panel | bargauge.Panel | barchart.Panel


def steps(*limits: tuple[float, str], base: str = GREY) -> dashboard.ThresholdsConfig:
    """Colours from a value on, in the panel's unit; `base` below the first."""
    found = [model.Threshold(value=None, color=base), *(model.Threshold(value, color) for value, color in limits)]
    return dashboard.ThresholdsConfig().mode(model.ThresholdsMode.ABSOLUTE).steps(found)


ACCEPT_RATE = steps((0.8, WARNING), (0.95, GOOD), base=BAD)
"""For the eye: the alerts judge by each contract's own floor and by its own last runs."""

USED = steps((0.8, WARNING), (1, BAD), base=GOOD)
"""The share of a promise that is used up."""


def query(ref: str, expression: str, legend: str = "__auto") -> prometheus.Dataquery:
    """A query over time."""
    return prometheus.Dataquery().ref_id(ref).expr(expression).legend_format(legend).range().datasource(SOURCE)


def now(ref: str, expression: str, legend: str = "__auto") -> prometheus.Dataquery:
    """A query of the moment at the end of the time range, as a table."""
    asked = prometheus.Dataquery().ref_id(ref).expr(expression).legend_format(legend).instant().datasource(SOURCE)
    return asked.format(PromQueryFormat.TABLE)


def lines(title: str, description: str, *, unit: str) -> timeseries.Panel:
    """Figures over time that hold until the next one: lines in steps."""
    drawn = timeseries.Panel().draw_style(options.GraphDrawStyle.LINE).line_width(2).fill_opacity(0)
    drawn = drawn.line_interpolation(options.LineInterpolation.STEP_AFTER).show_points(options.VisibilityMode.NEVER)
    return _timeseries(drawn, title, description, unit)


def bars(title: str, description: str, *, unit: str = "short") -> timeseries.Panel:
    """Stacked bars over time, few enough to be read on a phone."""
    stacked = common.StackingConfig().mode(options.StackingMode.NORMAL).group("A")
    drawn = timeseries.Panel().draw_style(options.GraphDrawStyle.BARS).stacking(stacked).fill_opacity(80).line_width(0)
    return _timeseries(drawn.max_data_points(60).interval("1m"), title, description, unit).min(0)


def _timeseries(panel: timeseries.Panel, title: str, description: str, unit: str) -> timeseries.Panel:
    legend = common.VizLegendOptions().show_legend(True).display_mode(options.LegendDisplayMode.TABLE)  # noqa: FBT003 - the SDK's
    legend = legend.placement(options.LegendPlacement.BOTTOM).calcs(["lastNotNull"])
    hover = common.VizTooltipOptions().mode(options.TooltipDisplayMode.MULTI).sort(options.SortOrder.DESCENDING)
    panel = panel.title(title).description(description).datasource(SOURCE).unit(unit).legend(legend).tooltip(hover)
    return panel.thresholds(steps()).span(12).height(9)


def number(title: str, description: str, *, unit: str) -> stat.Panel:
    """A figure or two in large digits."""
    panel = stat.Panel().title(title).description(description).datasource(SOURCE).unit(unit)
    panel = panel.reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"])).thresholds(steps())
    panel = panel.graph_mode(options.BigValueGraphMode.NONE).color_mode(options.BigValueColorMode.VALUE)
    return panel.span(6).height(5)


def rows(title: str, description: str, columns: Mapping[str, str]) -> table.Panel:
    """A table of instant queries, joined over the labels that they share.

    Args:
        title: the panel's.
        description: the panel's.
        columns: field (a label, or `Value #A` for the query A) -> heading, from left to right. Others are left out.
    """
    panel = table.Panel().title(title).description(description).datasource(SOURCE).unit("short").thresholds(steps())
    panel = panel.cell_height(options.TableCellHeight.SM).min_width(70)
    made: table.Panel = joined(panel, columns)
    return made.span(24).height(8)


def joined(panel: Any, columns: Mapping[str, str]) -> Any:  # noqa: ANN401 - the SDK's builders share no class
    """Join a panel's instant queries over their labels, and keep, order and name the columns."""
    shown = {"include": {"names": list(columns)}}
    order = {"indexByName": {field: place for place, field in enumerate(columns)}, "renameByName": dict(columns)}
    return panel.transformations(
        [
            model.DataTransformerConfig(id_val="merge", options={}),
            model.DataTransformerConfig(id_val="filterFieldsByName", options=shown),
            model.DataTransformerConfig(id_val="organize", options=order),
        ]
    )


def column(**properties: object) -> list[model.DynamicConfigValue]:
    """The properties of a column or series: unit, decimals, links, ... and `thresholds` or a fixed `color`."""
    found = []
    for name, value in properties.items():
        if name == "color":
            found.append(model.DynamicConfigValue("color", {"mode": "fixed", "fixedColor": value}))
        elif name == "thresholds":
            found.append(model.DynamicConfigValue("thresholds", value.build()))  # type: ignore[attr-defined]
            found.append(model.DynamicConfigValue("custom.cellOptions", {"type": "color-text"}))
        else:
            found.append(model.DynamicConfigValue(name, value))
    return found


def link(title: str, url: str, *, new_tab: bool = False) -> dict[str, object]:
    """A link of a value; its address may hold Grafana's variables."""
    return {"title": title, "url": url, "targetBlank": new_tab}


def source_variable() -> dashboard.DatasourceVariable:
    """The Prometheus to ask, the provisioned one at first."""
    first = model.VariableOption(selected=True, text="Prometheus", value="prometheus")
    return dashboard.DatasourceVariable("datasource").label("Data source").type("prometheus").current(first)


def contract_variable(*, several: bool) -> dashboard.QueryVariable:
    """The contract to look at, of those that there are: also one that never ran."""
    found = dashboard.QueryVariable("contract").label("Contract").datasource(SOURCE)
    found = found.query("label_values(rowgate_contract_info, contract)").sort(model.VariableSort.ALPHABETICAL_ASC)
    found = found.refresh(model.VariableRefresh.ON_DASHBOARD_LOAD).multi(several).include_all(several)
    if several:
        every = model.VariableOption(selected=True, text=["All"], value=["$__all"])
        return found.all_value(".+").current(every)
    return found.current(model.VariableOption(selected=True, text="users", value="users"))


def board(title: str, uid: str, description: str, variables: Sequence[Any]) -> dashboard.Dashboard:
    """An empty dashboard that keeps itself up to date, and leads to the others."""
    others = dashboard.DashboardLink("Other dashboards").type(model.DashboardLinkType.DASHBOARDS).tags(["rowgate"])
    others = others.as_dropdown(False).include_vars(True).keep_time(True)  # noqa: FBT003 - the SDK's
    made = dashboard.Dashboard(title).uid(uid).description(description).tags(["rowgate"]).timezone("browser")
    made = made.readonly().tooltip(model.DashboardCursorSync.CROSSHAIR).refresh("1m").time("now-7d", "now")
    return made.variables(list(variables)).link(others)
