import Foundation

/// Shell scripts that query the program for completions.
enum CompletionScripts {
    static let shells = ["bash", "fish", "zsh"]

    /// The first argument of a script's call.
    static let request = "---complete"

    /// Returns the script for a shell, or `nil` for an unsupported one.
    static func script(for shell: String) -> String? {
        switch shell {
        case "bash": bash
        case "fish": fish
        case "zsh": zsh
        default: nil
        }
    }

    /// Returns the output for a script's call, given the arguments after ``request``.
    static func answer(_ arguments: ArraySlice<String>, in tree: CompletionTree) -> String {
        guard arguments.first == "line" else {
            return Completions(of: Array(arguments.dropFirst()), in: tree).text()
        }
        let line = arguments.dropFirst(2).first ?? ""
        let point = arguments.dropFirst().first.flatMap { Int($0) } ?? line.utf8.count
        let words = ShellWords.split(String(decoding: line.utf8.prefix(point), as: UTF8.self))
        // Bash treats each of these characters as the end of a word.
        let typed =
            words.last?.lastIndex { ":=".contains($0) }.map { String((words.last ?? "")[...$0]) } ?? ""
        let text = Completions(of: Array(words.dropFirst()), in: tree).text(withoutHead: typed)
        return text.split(separator: "\n").map { $0.prefix { $0 != "\t" } }.joined(separator: "\n") + "\n"
    }

    private static let bash = #"""
        # Completions of calotype for bash: the program itself knows what can be typed.
        _calotype() {
            local -a lines
            local IFS=$'\n'
            mapfile -t lines < <("${COMP_WORDS[0]}" ---complete line "$COMP_POINT" "$COMP_LINE" 2>/dev/null)
            COMPREPLY=("${lines[@]:1}")
            case "${lines[0]}" in
            files) ;;
            folders) compopt +o default -o dirnames 2>/dev/null ;;
            *) compopt +o default 2>/dev/null ;;
            esac
            if [[ "${#COMPREPLY[@]}" -gt 0 && "${COMPREPLY[0]}" == *[:=,] ]]; then
                compopt -o nospace 2>/dev/null
            fi
        }
        complete -o default -F _calotype calotype

        """#

    private static let fish = #"""
        # Completions of calotype for fish: the program itself knows what can be typed.
        function __calotype_complete
            set -l words (commandline -opc)
            set -l current (commandline -ct)
            set -l lines ($words[1] ---complete words $words[2..-1] "$current" 2>/dev/null)
            switch "$lines[1]"
                case files
                    __fish_complete_path "$current"
                case folders
                    __fish_complete_directories "$current"
            end
            string join \n -- $lines[2..-1]
        end
        complete -c calotype -f -a '(__calotype_complete)'

        """#

    private static let zsh = #"""
        #compdef calotype
        # Completions of calotype for zsh: the program itself knows what can be typed.
        _calotype() {
            local -a lines values open closed
            local -a typed
            typed=("${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}")
            lines=("${(@f)$("${(Q)words[1]}" ---complete words "${(@)typed}" 2>/dev/null)}")
            case "$lines[1]" in
            files) _files ;;
            folders) _files -/ ;;
            esac
            values=("${(@)lines[2,-1]%%$'\t'*}")
            open=("${(@M)values:#*[:=,]}")
            closed=("${(@)values:#*[:=,]}")
            [[ -n "$open" ]] && compadd -Q -S '' -a open
            [[ -n "$closed" ]] && compadd -Q -a closed
            return 0
        }
        if [[ "$funcstack[1]" == _calotype ]]; then _calotype "$@"; else compdef _calotype calotype; fi

        """#
}

/// Splits a line into words as a shell does, as far as completions need it.
enum ShellWords {
    /// Returns the words; the last one is empty after a blank.
    static func split(_ line: String) -> [String] {
        var words: [String] = []
        var word = ""
        var quote: Character?
        var isEscaped = false
        for character in line {
            if isEscaped {
                word.append(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
            } else if quote == nil, character == " " || character == "\t" {
                if !word.isEmpty { words.append(word) }
                word = ""
            } else {
                word.append(character)
            }
        }
        return words + [word]
    }
}
