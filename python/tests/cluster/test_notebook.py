"""The notebook of the three jobs, executed: it prints what it was saved with. With CWL_GEN it is saved with what it prints."""

import os
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[3]
NOTEBOOK = ROOT / "python/examples/three_jobs.ipynb"


def printed(notebook):
    return [output.text for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


def test_the_notebook_prints_what_it_was_saved_with():
    saved = nbformat.read(NOTEBOOK, as_version=4)
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}).execute()
    if "CWL_GEN" in os.environ:
        for cell in notebook.cells:
            cell.metadata.pop("execution", None)
        notebook.metadata = saved.metadata
        nbformat.write(notebook, NOTEBOOK)
    else:
        assert printed(notebook) == printed(saved), "run `CWL_GEN=1 make test-cluster`, read the notebook, and commit it"
    assert len(printed(notebook)) >= 6
