"""What runners of `code` mode in child processes share; a library for their authors.

A runner of another runtime is a `runtime.Runtime` (where the program is, how it is started, what its
probe tries) and a plugin that yields a `runner.ChildRunner` over it, with `settings.RunnerSettings`.
The modules without an underscore are for authors; none is imported before it is needed.
"""
