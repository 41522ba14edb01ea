{# A column of counts adds up to the rows of another relation. #}
{% test adds_up(model, counted, rows_of) %}
select counts.total, whole.total as expected
from (select coalesce(sum({{ counted }}), 0) as total from {{ model }}) as counts
cross join (select count(*) as total from {{ rows_of }}) as whole
where counts.total <> whole.total
{% endtest %}
