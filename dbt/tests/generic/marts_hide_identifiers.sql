{# No text in the contract's marts is a direct identifier, whatever its column is called.

It is one when it equals, in any letter case, a value of a text column with meta.pii `direct identifier` in a table behind
the mart, and no value of another text column of that table: a city called like somebody is a city. #}
{% test marts_hide_identifiers(model, contract) %}
{%- set wrong = [] -%}
{%- if execute -%}
    {%- for mart in marts_of(contract) -%}
        {%- for source in sources_behind(mart, contract) -%}
            {%- set query = shown_identifiers(mart, source) -%}
            {%- for column, identifier in (run_query(query).rows if query else []) -%}
                {%- do wrong.append("The mart " ~ mart.name ~ " shows the direct identifier " ~ identifier ~ " of " ~ source.name ~ " in its column " ~ column ~ "; leave the column out.") -%}
            {%- endfor -%}
        {%- endfor -%}
    {%- endfor -%}
{%- endif -%}
{%- if wrong -%}{{ exceptions.raise_compiler_error(wrong | join("\n")) }}{%- endif -%}
select 1 from {{ model }} where false
{% endtest %}
