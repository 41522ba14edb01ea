{# Every model of a run goes into the candidate's schema; what is published has a schema for staging views and one for marts. #}
{% macro generate_schema_name(custom_schema_name, node) -%}
    {{ env_var('ROWGATE_DBT_STAGING_SCHEMA') if 'staging' in node.fqn else target.schema }}
{%- endmacro %}
