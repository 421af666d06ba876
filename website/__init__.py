"""How the site is made: pages are staged, examples run, HTML is built and checked.

``make docs``, or ``python -m website``. Every file of the site comes from the
repository: ``docs/`` and the pages that it links to, ``examples/`` as the gallery, and
the docstrings of the public names.
"""
