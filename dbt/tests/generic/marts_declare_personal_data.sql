{# Every column of the contract's marts is declared with how it identifies a person (`meta.pii`), and none directly. #}
{% test marts_declare_personal_data(model, contract) %}
{%- set classes = ['none', 'quasi-identifier', 'pseudonymised', 'direct identifier'] -%}
{%- set wrong = [] -%}
{%- if execute -%}
    {%- for mart in marts_of(contract) -%}
        {%- for column in adapter.get_columns_in_relation(relation_of(mart)) -%}
            {%- set declared = mart.columns.get(column.name) or mart.columns.get(column.name | lower) -%}
            {%- set pii = pii_of(declared) if declared else none -%}
            {%- if pii not in classes -%}
                {%- do wrong.append("The mart " ~ mart.name ~ " does not declare how its column " ~ column.name ~ " identifies a person; add the column with meta.pii to its YAML: " ~ classes[:3] | join(", ") ~ ".") -%}
            {%- elif pii == 'direct identifier' -%}
                {%- do wrong.append("The mart " ~ mart.name ~ " declares its column " ~ column.name ~ " a direct identifier; leave the column out.") -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
{%- endif -%}
{%- if wrong -%}{{ exceptions.raise_compiler_error(wrong | join("\n")) }}{%- endif -%}
select 1 from {{ model }} where false
{% endtest %}
