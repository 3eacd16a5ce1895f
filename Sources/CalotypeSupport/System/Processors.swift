internal import CThreadCalls

/// The processors that this process may use.
package enum Processors {
    /// The number of processors that this process may keep busy at once: those online and in its affinity
    /// mask, or the time its control groups grant, rounded up; at least 1.
    ///
    /// Read once; a change is not noticed.
    package static let count = count(
        online: sysconf(Int32(_SC_NPROCESSORS_ONLN)),
        allowed: Int(calotype_thread_processor_count()),
        groups: .ofThisProcess(),
        readText: SmallFile.text(atPath:)
    )

    /// The minimum of the processors online, allowed (0 for unknown) and granted by the groups; at least 1.
    package static func count(
        online: Int,
        allowed: Int,
        groups: ControlGroups,
        readText: (String) -> String?
    ) -> Int {
        let unified = groups.unifiedFolders.compactMap { readText($0 + "/cpu.max") }
        let single = groups.processorFolders.compactMap { folder -> String? in
            guard let quota = readText(folder + "/cpu.cfs_quota_us"),
                let period = readText(folder + "/cpu.cfs_period_us")
            else { return nil }
            return quota + " " + period
        }
        let granted = (unified + single).compactMap(granted(parsing:))
        return max(1, ([online] + (allowed > 0 ? [allowed] : []) + granted).min() ?? 1)
    }

    /// The processors that a quota and a period grant, both in microseconds, rounded up; `nil` for no limit,
    /// which is written as `max` in v2 and as -1 in v1.
    static func granted(parsing text: String) -> Int? {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count == 2, let quota = Int(words[0]), let period = Int(words[1]), quota > 0, period > 0
        else { return nil }
        return (quota - 1) / period + 1
    }
}
