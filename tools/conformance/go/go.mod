module hdrscope/tools/conformance/go

go 1.25
