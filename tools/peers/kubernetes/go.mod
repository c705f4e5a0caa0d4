module hdrscope/tools/peers/kubernetes

go 1.26.0

require (
	k8s.io/api v0.37.2
	k8s.io/apimachinery v0.37.2
)
