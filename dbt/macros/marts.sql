{# What the tests of a contract's marts ask dbt: which models they are, what they are built from, what is personal. #}

{# The contract's marts that are built: nodes of the graph. #}
{% macro marts_of(contract) %}
    {%- set found = [] -%}
    {%- for node in graph.nodes.values() -%}
        {%- set is_mart = node.resource_type == 'model' and node.fqn[1:3] == ['marts', contract] -%}
        {%- if is_mart and node.config.materialized != 'ephemeral' -%}{%- do found.append(node) -%}{%- endif -%}
    {%- endfor -%}
    {{ return(found | sort(attribute='name')) }}
{% endmacro %}

{# The relation of a node or a source. #}
{% macro relation_of(node) %}
    {{ return(api.Relation.create(database=node.database, schema=node.schema, identifier=node.alias or node.identifier)) }}
{% endmacro %}

{# How a declared column identifies a person, or none where nothing is said. #}
{% macro pii_of(column) %}
    {{ return((column.config or {}).get('meta', {}).get('pii') or (column.meta or {}).get('pii')) }}
{% endmacro %}

{# The contract's own source, and every source that a mart is built from. #}
{% macro sources_behind(mart, contract) %}
    {%- set waiting = mart.depends_on.nodes | list -%}
    {%- for unique_id in waiting -%}
        {%- for before in (graph.nodes.get(unique_id) or {'depends_on': {'nodes': []}}).depends_on.nodes -%}
            {%- if before not in waiting -%}{%- do waiting.append(before) -%}{%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- set found = [] -%}
    {%- for source in graph.sources.values() -%}
        {%- if source.name == contract or source.unique_id in waiting -%}{%- do found.append(source) -%}{%- endif -%}
    {%- endfor -%}
    {{ return(found | sort(attribute='name')) }}
{% endmacro %}

{# A query for the pairs of a mart's column and the identifier it shows; none where there is nothing to compare. #}
{% macro shown_identifiers(mart, source) %}
    {%- set table = relation_of(source) -%}
    {%- set texts = source.columns.values() | selectattr('data_type', 'equalto', 'text') | list -%}
    {%- set direct = [] -%}{%- set others = [] -%}
    {%- for column in texts -%}
        {%- if pii_of(column) == 'direct identifier' -%}
            {%- do direct.append(column.name) -%}
        {%- elif pii_of(column) != 'pseudonymised' and column.name not in ('first_run_id', 'last_run_id') -%}
            {%- do others.append(column.name) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set parts = [] -%}
    {%- for column in adapter.get_columns_in_relation(relation_of(mart)) -%}
        {%- set name = adapter.quote(column.name) -%}
        {%- if column.dtype.endswith('[]') or column.dtype == 'ARRAY' -%}
            {%- set value = "unnest(" ~ name ~ ")::text" -%}
        {%- else -%}
            {%- set value = name ~ "::text" -%}
        {%- endif -%}
        {%- for identifier in direct if column.is_string() or column.dtype in ('citext', 'name', 'ARRAY') or column.dtype.endswith('[]') -%}
            {%- set part -%}
select {{ dbt.string_literal(dbt.escape_single_quotes(column.name)) }}::text, {{ dbt.string_literal(dbt.escape_single_quotes(identifier)) }}::text
where exists (
    select 1
    from (select distinct lower({{ value }}) as value from {{ relation_of(mart) }}) as shown
    where value in (select lower({{ adapter.quote(identifier) }}) from {{ table }})
    {%- for other in others %}
        and not exists (select 1 from {{ table }} where lower({{ adapter.quote(other) }}) = value)
    {%- endfor %}
)
            {%- endset -%}
            {%- do parts.append(part) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(parts | join("\nunion all\n")) }}
{% endmacro %}
