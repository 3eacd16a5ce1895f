/// The console: one page with its style and its script, without anything from elsewhere.
enum ConsolePage {
    static let html = "<!doctype html><title>Calotype</title>"
    static let style = ""
    static let script = ""
}
