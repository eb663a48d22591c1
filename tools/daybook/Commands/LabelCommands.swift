import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding
import DaybookSystem

extension Command {
    static let label = Command(
        "label", "[ABOUT [TEXT]]", count: 0...2, does: Method.labelList.summary, changes: true
    ) { invocation, store in
        let method: Method = invocation.arguments.count == 2 ? .labelSet : .labelList
        return try await invocation.perform(method, on: store)
    }

    static let labelExport = Command(
        "label export", "FILE", count: 1...1, does: Method.labelExport.summary
    ) { invocation, store in
        let path = invocation.arguments[0]
        if path != "-" { try SigningFile.refuseExisting(path) }
        let (file, summary) = try await store.exportLabels()
        guard path == "-" else {
            try SigningFile.write(file, to: path)
            try invocation.console.result(summary.json, summary.text(" are written"))
            return .done
        }
        if !file.isEmpty {
            let lines = String(decoding: file.dropLast(), as: UTF8.self)
            try invocation.console.text(TerminalText(lines: lines))
        }
        try invocation.console.aside(summary.json, summary.text(" are written"))
        return .done
    }

    static let labelImport = Command(.labelImport) { invocation, store in
        try await invocation.perform(
            .labelImport, readingFile: Store.largestLabelFile, on: store)
    }
}

extension Command {
    static let priceImport = Command(.priceImport) { invocation, store in
        try await invocation.perform(
            .priceImport, readingFile: Store.largestPriceFile, on: store)
    }
}

extension Invocation {
    /// Calls a method with the content of the file that the command's word names.
    func perform(
        _ method: Method, readingFile limit: Int, on store: Store
    ) async throws -> ExitStatus {
        let content = try Self.content(of: arguments[0], limit)
        return try await perform(
            method, on: store, arguments(for: method).replacing("file", with: .string(content)))
    }

    private static func content(of path: String, _ limit: Int) throws(CommandFailure) -> String {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = path == "-"
                ? try StandardStreams.readAll(limit: limit)
                : try Files.readInput(path, limit: limit)
        } catch {
            guard error.code == .fileTooLarge else {
                throw CommandFailure("unreadableFile", .usage, quoting: error.description)
            }
            throw CommandFailure(
                "fileTooLarge", .usage, quoting: "\(path) has more than \(limit >> 20) MiB")
        }
        guard let text = Text.utf8String(Text.ofFile(bytes)) else {
            throw CommandFailure("invalidFile", .usage, quoting: "\(path) is no text in UTF-8")
        }
        return text
    }
}
