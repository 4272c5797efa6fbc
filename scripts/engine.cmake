# Read by the C++ library's own build before its project begins (the CMAKE_ variables of scripts/engine.mjs). The crate
# that compiles the library turns its "common" part on, whatever is asked of it: programs for the command line, downloads,
# parsers of tool calls. Nothing of it is linked, and it is half of the work.
set(LLAMA_BUILD_COMMON OFF CACHE BOOL "" FORCE)
