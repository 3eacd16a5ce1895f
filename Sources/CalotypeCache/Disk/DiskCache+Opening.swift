import CalotypeCore
import CalotypeSupport
import FoundationEssentials
import Glibc

/// Opening a directory and walking through it; all of it blocks.
extension DiskCache {
    private static let sizeLimitMax = 1 << 30
    private static let sizeLimitMin = 64 << 20
    private static let settingsByteCountMax = 4096

    /// Finds the rules, clears what dead writers left, and starts to count the entries.
    ///
    /// Never fails: a directory that cannot be used fully is used as far as it can be.
    func openDirectory() {
        loadRules()
        sweep()
        startScan()
    }

    /// Writes the configuration's settings into the directory, or takes the directory's own.
    func loadRules() {
        var problem: FileError?
        var settings = configuration.settings
        do throws(FileError) {
            if let settings {
                try writeSettings(settings)
            } else {
                settings = try readSettings()
            }
        } catch {
            problem = error
        }
        let rules = rules(for: settings ?? DiskSettings())
        let openingError = problem.map { DiskCacheError($0, path: layout.base) }
        state.withLock { state in
            state.rules = rules
            state.openingError = openingError
        }
    }

    private func rules(for settings: DiskSettings) -> DiskRules {
        DiskRules(
            sizeLimit: settings.sizeLimit ?? Self.sizeLimitMax,
            countLimit: settings.countLimit ?? .max,
            expiry: settings.expiry,
            pendingDefault: settings.sizeLimit == nil ? defaultSizeLimit() : nil
        )
    }

    /// A tenth of what is free, but 64 MiB at least and 1 GiB at most.
    private func defaultSizeLimit() -> Int {
        var folder: String? = layout.base
        while let path = folder {
            do {
                let share = try fileSystem.freeByteCount(at: path) / 10
                return min(Self.sizeLimitMax, max(Self.sizeLimitMin, share))
            } catch  where error.isAbsence {
                folder = path.parentFolder
            } catch {
                break
            }
        }
        return Self.sizeLimitMax
    }

    private func sweep() {
        do {
            let sweep = AbandonedFilesSweep(fileSystem: fileSystem, layout: layout, remover: remover)
            let count = try sweep.run()
            state.withLock { $0.statistics.sweptFileCount += count }
        } catch {
            state.withLock { $0.statistics.maintenanceFailureCount += 1 }
        }
    }
}

/// The rules a directory keeps for itself.
extension DiskCache {
    /// The settings in the directory; `nil` where there are none, or none that make sense.
    private func readSettings() throws(FileError) -> DiskSettings? {
        let file: FileDescriptor
        do {
            file = try fileSystem.open(layout.settings, as: .read)
        } catch  where error.isAbsence {
            return nil
        }
        defer { fileSystem.closeAfterFailure(file) }
        var bytes = [UInt8](repeating: 0, count: Self.settingsByteCountMax)
        let result = unsafe bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(FileError) in try unsafe fileSystem.read(file, into: buffer, at: 0) }
        }
        guard let text = String(validating: bytes.prefix(try result.get()), as: UTF8.self) else { return nil }
        return DiskSettings(text: text)
    }

    /// Makes the directory where it is missing, and writes the settings into it.
    private func writeSettings(_ settings: DiskSettings) throws(FileError) {
        if try readSettings() == settings { return }
        try folder.replaceFile(at: layout.settings, with: settings.text)
    }
}

extension DiskCacheError {
    /// Whether a directory with this problem can still be read from.
    var leavesReading: Bool { [.readOnly, .permissionDenied, .diskFull].contains(code) }
}
