import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct CompletionsTests {
    private let tree: CompletionTree

    init() throws {
        tree = try CompletionTree(CalotypeCommand.self)
    }

    private func words(_ words: String...) -> [String] {
        Completions(of: words, in: tree).candidates.map(\.text)
    }

    @Test(arguments: [
        (["co"], ["convert"]), (["help", "co"], ["convert"]), (["help", "cache", "li"], ["list", "limits"]),
        (["cache", "na"], ["namespaces"]), (["convert", "-f", "we"], ["webp"]),
        (["convert", "--format", "jp"], ["jpeg"]),
        (["load", "--mode", ""], ["fit", "fill"]), (["load", "--mode=fi"], ["--mode=fit", "--mode=fill"]),
        (["convert", "a.jpg", "-t", "smartc"], ["smartcrop:"]), (["convert", "-t", "sep"], ["sepia:"]),
        (["convert", "-t", "resize:fi"], ["resize:fill=", "resize:fit="]),
        (["convert", "-t", "resize:fit=4x3,ker"], ["resize:fit=4x3,kernel="]),
        (["sign", "--grammar", "t"], ["thumbor"]), (["convert", "--skip"], ["--skip-existing"]),
        (["show", "--graphics", "k"], ["kitty"]), (["h"], ["health", "help"]),
        (["serve", "--print"], ["--print-config"]),
        (["convert", "--", "-"], []), (["load", "--width", "3"], []),
    ])
    func `a word is completed from the words before it`(typed: [String], expected: [String]) {
        let found = Completions(of: typed, in: tree).candidates.map(\.text)
        #expect(found == expected)
    }

    @Test func `each setting of the service is completed, and each choice of one`() {
        for setting in ServeSetting.all {
            #expect(words("serve", setting.flag).contains(setting.flag))
            guard case .choice(let choices) = setting.kind else { continue }
            #expect(words("serve", setting.flag, "") == choices)
            #expect(words("serve", setting.flag + "=") == choices.map { setting.flag + "=" + $0 })
        }
        #expect(words("serve", "--log").contains("--log-format"))
    }

    @Test func `each command and each option is completed`() {
        func check(_ command: CompletionTree, _ path: [String]) {
            for option in command.options {
                for name in option.names {
                    #expect(Completions(of: path + [name], in: tree).candidates.map(\.text).contains(name))
                }
            }
            for next in command.commands {
                #expect(
                    Completions(of: path + [next.name], in: tree).candidates.map(\.text).contains(next.name)
                )
                check(next, path + [next.name])
            }
        }
        check(tree, [])
    }

    @Test(arguments: [
        (["convert", ""], Completions.Paths.files), (["convert", "a", "-o", ""], .files),
        (["load", "--preview", ""], .folders),
        (["load", "--cache-dir", ""], .folders), (["serve", "--config", ""], .files),
        (["convert", "-f", ""], .none),
        (["cache", "put", "key", ""], .files), (["cache", "put", ""], .none),
    ])
    func `paths are completed by the shell`(typed: [String], paths: Completions.Paths) {
        #expect(Completions(of: typed, in: tree).paths == paths)
    }

    @Test func `in bash, a candidate has only the text after the last word break`() throws {
        let line = "calotype convert a.jpg -t resize:fi"
        #expect(CompletionScripts.answer(["line", "\(line.count)", line], in: tree) == "none\nfill=\nfit=\n")
        let equals = "calotype load --mode=fi and more"
        #expect(CompletionScripts.answer(["line", "23", equals], in: tree) == "none\nfit\nfill\n")
    }

    @Test(arguments: [
        ("a b", ["a", "b"]), ("a ", ["a", ""]), ("a 'b c' d", ["a", "b c", "d"]), (#"a "b c"#, ["a", "b c"]),
        (#"a b\ c"#, ["a", "b c"]), ("", [""]),
    ])
    func `a line is split as a shell splits it`(line: String, words: [String]) {
        #expect(ShellWords.split(line) == words)
    }
}
