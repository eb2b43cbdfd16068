"""Sphinx configuration; docs/make_site.py copies the sources beside it and calls Sphinx."""

import gc
import inspect
import re

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx import addnodes
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

import mvclust
from docs.make_site import public_names

gc.set_threshold(100_000)  # a fifth of the time went into looking for garbage among the pages

PUBLIC = public_names()
NAMES = {f"{module}.{name}" for module, names in PUBLIC.items() for name in names} | PUBLIC.keys()
# Code on a page -> the documented name that it is.
TARGETS = {name: name for name in NAMES - {"mvclust"}}
TARGETS |= {n: f"mvclust.{n}" for n, found in PUBLIC["mvclust"].items() if inspect.isclass(found)}

project = "mvclust"
author = "The mvclust developers"
copyright = author
version = release = mvclust.__version__

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
numpydoc_show_class_members = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"
default_role = "py:obj"
nitpicky = True
# Other names in backticks may be parameters, attributes or of other packages.
nitpick_ignore_regex = [("py:obj", r"(?!mvclust\.).*"), ("py:class", r"(?!mvclust\.).*")]
suppress_warnings = ["myst.header"]  # tables begin at the level that their run gives them

html_theme = "furo"
pygments_dark_style = "github-dark"
html_title = f"mvclust {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_domain_indices = False
html_show_copyright = False
html_show_sphinx = False
html_math_renderer = "mathml"
html_theme_options = {"top_of_page_buttons": []}


class LinkNames(SphinxTransform):
    """Code that is a public name leads to its page of the API."""

    default_priority = 450

    def apply(self):
        if self.env.docname.startswith("api/"):
            return
        for node in list(self.document.findall(nodes.literal)):
            target = TARGETS.get(node.astext())
            linked = nodes.reference | addnodes.pending_xref | nodes.title
            if target is None or isinstance(node.parent, linked):
                continue
            link = addnodes.pending_xref(
                "", refdomain="py", reftype="obj", reftarget=target, refexplicit=True,
                refwarn=True, refdoc=self.env.docname,
            )  # fmt: skip
            node.replace_self(link)
            link.append(node)


def escape_names(app, what, name, obj, options, lines):
    """Escape what reStructuredText would read into plain formulas: names such as V_, and bars."""
    plain = r"(`+.*?`+_?|\[[\w-]+\]_)|(\|)|(?<=\w)(_)(?![\w`])"
    literal = False
    for i, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if literal and line.strip() and indent <= literal - 1:
            literal = False
        if not literal and not line.lstrip().startswith((">>>", "...", ".. ")):
            lines[i] = re.sub(plain, lambda m: m[1] or f"\\{m[2] or m[3]}", line)
        if line.rstrip().endswith("::"):
            literal = indent + 1


def inline_math(self, node):
    self.body.append(mathml(node))
    raise nodes.SkipNode


def block_math(self, node):
    self.body.append(f'<div class="math">{mathml(node, as_block=True)}</div>')
    raise nodes.SkipNode


def mathml(node, as_block=False):
    """A formula as MathML, which browsers draw without fonts or scripts from elsewhere."""
    try:
        formula = str(latex2mathml.tex2mathml(node.astext(), as_block=as_block))
        # Bars of a norm would be stretched over the row, but not those that have an exponent.
        return formula.replace(
            "<mo>\u2016</mo>", '<mo stretchy="false" lspace="0" rspace="0">\u2016</mo>'
        )
    except MathError as error:
        logging.getLogger(__name__).warning("%s: %s", node.astext(), error, location=node)
        return ""


def open_own_part(app, pagename, templatename, context, doctree):
    """Open the menu where a page stands alone: whole, it is a third of each page."""
    whole = context["toctree"]

    def opened(**how):
        return whole(**how | {"collapse": True})

    context["toctree"] = opened


def setup(app):
    app.connect("html-page-context", open_own_part, priority=400)  # before the theme
    app.add_html_math_renderer("mathml", (inline_math, None), (block_math, None))
    app.add_transform(LinkNames)
    app.connect("autodoc-process-docstring", escape_names, priority=900)  # after numpydoc
