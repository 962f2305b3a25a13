from agenteval_web.lib.documents import FOLDER, document


def test_headings_have_ids_and_links_lead_to_pages():
    found = document("method")
    assert found.title == "The method"
    assert ("Scores", "scores") in found.contents
    assert '<h2 id="scores">' in found.html


def test_only_documents_are_served():
    assert document("../README") is None
    assert document("nothing") is None
    assert document("") is None


def test_every_document_renders():
    for path in sorted(FOLDER.glob("*.md")):
        assert document(path.stem).title, path.name
