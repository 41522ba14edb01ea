"""A page in the browser that shows what became of the records: runs, rejections, marts. It only reads.

Streamlit puts this folder first on its path, so no module here may have a name of Python's own library.
"""
