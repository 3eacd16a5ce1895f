public struct DiskCacheError: Error { public struct Code: Sendable { public var label: String }; public var code: Code }
