import CalotypeSupport

extension DiskCache {
    /// The size limit in force for all entries of the directory, in bytes; `nil` before it is open.
    package var sizeLimit: Int? {
        front.withLock { $0.rules?.sizeLimit }
    }

    /// The limits and the expiry in force; `nil` before the directory is open.
    ///
    /// If no size limit is set, this has the computed default.
    public var settings: DiskSettings? {
        front.withLock { front in
            front.rules.map { rules in
                DiskSettings(
                    sizeLimit: rules.sizeLimit,
                    countLimit: rules.countLimit == .max ? nil : rules.countLimit,
                    expiry: rules.expiry
                )
            }
        }
    }
}
