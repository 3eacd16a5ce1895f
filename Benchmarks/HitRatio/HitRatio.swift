import CalotypeCache
import FoundationEssentials
import TestMaterial

/// Replays traces through the product's own caches and prints how often they had what was asked for.
///
/// `HitRatio [--json] [--fractions F,…] [--capacities N,…] FILE…`, files ending in `.ctr` or `.ctr.xz`. A
/// fraction is of the sum of the sizes of all objects; a capacity is in the trace's own unit.
@main struct HitRatio {
    private struct Options {
        var isJSON = false
        var fractions: [Double] = []
        var capacities: [Int] = []
        var files: [String] = []

        init(_ arguments: [String]) throws(UsageError) {
            var rest = arguments[...]
            while let argument = rest.popFirst() {
                switch argument {
                case "--json": isJSON = true
                case "--fractions": fractions = try Self.numbers(rest.popFirst(), argument, Double.init)
                case "--capacities": capacities = try Self.numbers(rest.popFirst(), argument) { Int($0) }
                default: files.append(argument)
                }
            }
            if fractions.isEmpty, capacities.isEmpty { fractions = [0.001, 0.01, 0.1, 0.3] }
            guard !files.isEmpty else { throw UsageError("name at least one trace, a .ctr or .ctr.xz file") }
        }

        private static func numbers<Number>(
            _ text: String?,
            _ name: String,
            _ parse: (String) -> Number?
        ) throws(UsageError) -> [Number] {
            let words = (text ?? "").split(separator: ",").map(String.init)
            let numbers = words.compactMap(parse)
            guard !numbers.isEmpty, numbers.count == words.count else {
                throw UsageError("\(name) takes numbers with commas between them")
            }
            return numbers
        }
    }

    private struct UsageError: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    static func main() throws {
        let options = try Options(Array(CommandLine.arguments.dropFirst()))
        var report = Report(isJSON: options.isJSON)
        for file in options.files {
            guard let trace = CacheTrace.read(atPath: file) else {
                throw UsageError("\(file) is no trace, or xz is missing")
            }
            let name = String(file.split(separator: "/").last ?? "").split(separator: ".").first.map(
                String.init
            )
            let capacities = options.capacities.map { (Double($0) / Double(trace.footprint), $0) }
            let shares = options.fractions.map { ($0, max(1, Int($0 * Double(trace.footprint)))) }
            for (fraction, capacity) in shares + capacities {
                for row in rows(trace, capacity: capacity) {
                    report.print(row, trace: name ?? file, fraction: fraction, capacity: capacity)
                }
            }
        }
    }

    private static func rows(_ trace: CacheTrace, capacity: Int) -> [Report.Row] {
        var rows = EvictionPolicyKind.allCases.map { policy in
            Report.Row(
                cache: "memory",
                policy: policy.rawValue,
                isDefault: policy == .default,
                ratios: trace.hitRatios(capacity: capacity, policy: policy)
            )
        }
        let disk = trace.diskHitRatios(capacity: capacity)
        rows.append(Report.Row(cache: "disk", policy: "lru", isDefault: true, ratios: disk))
        if let best = trace.beladyHitRatios(capacity: capacity) {
            rows.append(Report.Row(cache: "memory", policy: "belady", isDefault: false, ratios: best))
        }
        return rows
    }
}
