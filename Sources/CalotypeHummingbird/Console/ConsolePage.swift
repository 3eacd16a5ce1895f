/// The console: one page with its style and script, without external resources.
///
/// Request data is inserted as text, never as markup: the URL of a source is untrusted.
enum ConsolePage {
    static let html = String(decoding: PackageResources.console_html, as: UTF8.self)
    static let style = String(decoding: PackageResources.console_css, as: UTF8.self)
    static let script = String(decoding: PackageResources.console_js, as: UTF8.self)
}
