import CountedWork
import Foundation

/// Figures of `Counts`, a process of its own in which every allocation passes through a counter.
enum CountRows {
    static let all = CountedWork.allCases.map { work in
        Row(work.rawValue, work.title, counted: .count, work.maxCount.map { .valueAtMost($0) } ?? .none) {
            Figures(ours: try figure(of: work))
        }
    }

    private static func figure(of work: CountedWork) throws -> Double {
        let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "Counts")
        let text = try ChildProcess.output(program.path, [work.rawValue])
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard let figure = Double(text) else { throw Skipped(text) }
        // Rounded to tenths, so that upkeep does not miss the target; `Counts` itself is more exact.
        return (figure * 10).rounded() / 10
    }
}
