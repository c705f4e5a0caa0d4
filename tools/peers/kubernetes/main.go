// Reads a stream of manifests, a document of JSON on each line, as the API server of Kubernetes does with strict validation: a field that the
// kind does not have is an error. It prints the kind of each document.
package main

import (
	"bufio"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

func main() {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{appsv1.AddToScheme, corev1.AddToScheme} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	strict := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Strict: true})
	failed := false
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		_, kind, err := strict.Decode(lines.Bytes(), nil, nil)
		if err != nil {
			fmt.Println(err)
			failed = true
			continue
		}
		fmt.Println(kind.Kind)
	}
	if failed || lines.Err() != nil {
		os.Exit(1)
	}
}
