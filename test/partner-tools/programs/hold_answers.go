// Reads answers of the API with the types that quicktype made, and prints the names of the programs in them.
// Each line of the file that the argument names is a kind and a body with a tab between them.
package main

import (
	"fmt"
	"os"
	"strings"
)

func main() {
	text, err := os.ReadFile(os.Args[1])
	stopOn(err)
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		kind, body, _ := strings.Cut(line, "\t")
		switch kind {
		case "list":
			list, err := UnmarshalProgramListResponse([]byte(body))
			stopOn(err)
			for _, program := range list.Data {
				fmt.Println(program.Name)
			}
		case "detail":
			detail, err := UnmarshalProgramDetailResponse([]byte(body))
			stopOn(err)
			fmt.Println(detail.Data.Name)
		case "legacy":
			list, err := UnmarshalLegacyProgramsResponse([]byte(body))
			stopOn(err)
			for _, program := range list.Programs {
				fmt.Println(program.Name)
			}
		default:
			refusal, err := UnmarshalErrorResponse([]byte(body))
			stopOn(err)
			fmt.Println(refusal.Error.Code)
		}
	}
}

func stopOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
