import CountedWork
import Foundation

/// `make bench-counts`: counts allocations and system calls, and fails where there are too many.
///
/// `counts NAME` prints one figure; `counts NAME COUNT` does the work, for a tracer that counts its calls.
@main
enum Counts {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let name = arguments.first else {
            exit(try await countAll() ? 0 : 1)
        }
        guard let work = CountedWork(rawValue: name) else {
            print("There is no “\(name)”; there are \(CountedWork.allCases.map(\.rawValue)).")
            exit(2)
        }
        if let count = arguments.dropFirst().first.flatMap({ Int($0) }) {
            try await work.body()(count)
        } else {
            try await count(work)
        }
    }

    /// Prints a figure, or the reason for skipping it.
    private static func count(_ work: CountedWork) async throws {
        do {
            print(try await Figure(work).value)
        } catch let skipped as Skipped {
            print("skipped, \(skipped.reason)")
        }
    }

    /// Prints every figure; returns whether none is too great.
    private static func countAll() async throws -> Bool {
        var isMet = true
        for work in CountedWork.allCases {
            do {
                let figure = try await Figure(work)
                let verdict = work.isMet(by: figure.value) ? "" : "TOO MANY: "
                let limit = work.maxCount.map { ", at most \(Int($0))" } ?? ""
                print("\(work.rawValue): \(verdict)\(text(figure.value))\(limit) (\(work.title))")
                if let calls = figure.calls { print("    \(calls)") }
                isMet = isMet && work.isMet(by: figure.value)
            } catch let skipped as Skipped {
                print("\(work.rawValue): skipped, \(skipped.reason)")
            }
            fflush(nil)
        }
        return isMet
    }

    static func text(_ number: Double) -> String { String(format: "%.2f", number) }
}

/// A figure cannot be had here, and why.
struct Skipped: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
