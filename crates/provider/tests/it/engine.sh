#!/bin/sh
# Plays the embedded engine: the last message of a question says what happens. Its log has a line for each start.
echo started >>"$1"
say() { printf '%s\n' "$1"; }
timings='"timings":{"promptTokens":7,"reused":3,"promptMs":1,"answerTokens":2,"answerMs":1}'
say '{"type":"ready","version":"0.1.0"}'
while read -r line; do
  case "$line" in
    *'"type":"load"'*missing.gguf*)
      say '{"type":"failed","code":"no_file","message":"missing.gguf is not there."}' ;;
    *'"type":"load"'*dies.gguf*)
      kill -ABRT $$ ;;
    *'"type":"load"'*)
      say '{"type":"loading","percent":50}'
      say '{"type":"loaded","name":"Small","architecture":"llama","context":4096,"threads":1,"memory":9,"loadMs":1}' ;;
    *'"type":"generate"'*)
      id=${line#*\"id\":}; id=${id%%,*}
      say "{\"type\":\"delta\",\"id\":$id,\"text\":\"one \"}"
      case "$line" in
        *'"content":"die"'*) kill -KILL $$ ;;
        *'"content":"babble"'*) say 'llama: hello' ;;
        *'"content":"wait"'*) ;;
        *'"content":"fail"'*) say "{\"type\":\"failed\",\"id\":$id,\"code\":\"too_long\",\"message\":\"Too long.\"}" ;;
        *'"content":"endless"'*) say "{\"type\":\"finished\",\"id\":$id,\"reason\":\"length\",$timings}" ;;
        *'"content":"long"'*'"shorten":true'*)
           say "{\"type\":\"finished\",\"id\":$id,\"reason\":\"stop\",$timings,\"leftOut\":3}" ;;
        *'"content":"long"'*) say "{\"type\":\"failed\",\"id\":$id,\"code\":\"too_long\",\"message\":\"Too long.\"}" ;;
        *) say "{\"type\":\"delta\",\"id\":$id,\"text\":\"two\"}"
           say "{\"type\":\"finished\",\"id\":$id,\"reason\":\"stop\",$timings}" ;;
      esac ;;
    *'"type":"cancel"'*)
      echo cancelled >>"$1"
      id=${line#*\"id\":}; id=${id%%\}*}
      say "{\"type\":\"finished\",\"id\":$id,\"reason\":\"cancelled\",$timings}" ;;
  esac
done
echo ended >>"$1"
