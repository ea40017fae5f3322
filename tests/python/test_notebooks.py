"""Notebooks run from beginning to end, and their pictures show something."""
import base64
import io
import os
from pathlib import Path

import nbformat
import numpy as np
import pytest
from matplotlib import image
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "notebooks"
PACKAGE = Path(__file__).resolve().parents[2] / "analysis" / "python"


def pictures(notebook):
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                yield image.imread(io.BytesIO(base64.b64decode(output["data"]["image/png"])))


def marked(picture):
    """Number of pixels of a colour other than grey."""
    rgb = picture[..., :3]
    return int((np.ptp(rgb, axis=-1) > 0.2).sum())


@pytest.mark.parametrize("name, figures", [("latency-and-dropouts", 1), ("privacy-and-utility", 1), ("one-run", 1),
                                           ("own-protocol", 2)])
def test_notebook(hearsay, name, figures, tmp_path, monkeypatch):
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "notebooks are kept without their results"
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(PACKAGE), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.delenv("MPLBACKEND", raising=False)
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    texts = [str(o.get("data", {})) for cell in notebook.cells for o in cell.get("outputs", [])]
    assert not any(".text" in text for text in texts), "an axis with units counts twice"
    shown = list(pictures(notebook))
    assert len(shown) == figures
    assert all(marked(picture) > 300 for picture in shown)


def test_every_notebook_is_run():
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == {"latency-and-dropouts", "privacy-and-utility", "one-run",
                                                            "own-protocol"}
