"""The model file behind bough.store; docs/model-file.md describes it.

Each part stands on those before it: fault (words for what is wrong), soundness (what a tree must
fulfil), records (what stands in the file), header, write_nodes and read_nodes.
"""
