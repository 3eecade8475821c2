# Reads answers of the API with the classes that quicktype made, and prints the names of the programs in them.
# Each line of the file that the argument names is a kind and a body with a tab between them.
import json
import sys

import answers

for line in open(sys.argv[1], encoding="utf-8"):
    kind, body = line.split("\t", 1)
    value = json.loads(body)
    if kind == "list":
        for program in answers.program_list_response_from_dict(value).data:
            print(program.name)
    elif kind == "detail":
        print(answers.program_detail_response_from_dict(value).data.name)
    elif kind == "legacy":
        for program in answers.legacy_programs_response_from_dict(value).programs:
            print(program.name)
    else:
        print(answers.error_response_from_dict(value).error.code.value)
