/// The words of an entry's `Exec` line, with a URL in its place.
///
/// It follows "The Exec key" of the Desktop Entry Specification 1.5 to the letter, and refuses what
/// that leaves undefined: a line that is read in two ways could run the URL.
/// https://specifications.freedesktop.org/desktop-entry-spec/1.5/exec-variables.html
struct ExecLine {
    let url: String
    /// The entry's `Name`, for `%c`.
    let name: String
    /// The entry's `Icon`, for `%i`.
    let icon: String
    /// The entry's file, for `%k`.
    let path: String

    /// Why a line can't be followed.
    struct Fault: Error {
        /// The end of a sentence, in lower case.
        let reason: String
    }

    /// The words of a line: the program, and its arguments, of which one is the URL or has it.
    func words(of value: String) throws(Fault) -> [String] {
        var rest = try Self.unescaped(value)[...]
        var words: [String] = []
        var places = 0
        while true {
            rest = rest.drop { $0 == " " }
            guard let first = rest.first else { break }
            if first == "\"" {
                words.append(try Self.quoted(&rest))
                continue
            }
            let word = rest.prefix { $0 != " " }
            rest = rest.dropFirst(word.count)
            let isProgram = words.isEmpty
            words += try expanded(word, &places)
            // The URL must not name the program.
            if isProgram, places > 0 { throw Fault(reason: "it names no program") }
        }
        guard places == 1 else {
            throw Fault(reason: places == 0 ? "it has no place for a URL" : "it has two places")
        }
        return words
    }

    /// A quoted argument, which has no field codes.
    private static func quoted(_ rest: inout ArraySlice<Unicode.Scalar>) throws(Fault) -> String {
        var text = String.UnicodeScalarView()
        rest = rest.dropFirst()
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"":
                guard rest.first ?? " " == " " else {
                    throw Fault(reason: "only whole words are quoted")
                }
                return String(text)
            case "\\":
                guard let escaped = rest.popFirst(), "\"`$\\".unicodeScalars.contains(escaped)
                else { throw Fault(reason: "a backslash escapes nothing") }
                text.append(escaped)
            case "%":
                guard rest.popFirst() == "%" else {
                    throw Fault(reason: "a field code is quoted")
                }
                text.append("%")
            case "`", "$": throw Fault(reason: "it expects a shell")
            default: text.append(scalar)
            }
        }
        throw Fault(reason: "a quotation mark is missing")
    }

    /// A word without quotes: none, one or two words after its field codes were replaced.
    private func expanded(
        _ word: ArraySlice<Unicode.Scalar>, _ places: inout Int
    ) throws(Fault) -> [String] {
        if word.elementsEqual("%i".unicodeScalars) { return icon.isEmpty ? [] : ["--icon", icon] }
        var text = ""
        var isCode = false
        var rest = word
        while let scalar = rest.popFirst() {
            if Self.reserved.contains(scalar) { throw Fault(reason: "it expects a shell") }
            guard scalar == "%" else {
                text.unicodeScalars.append(scalar)
                continue
            }
            isCode = true
            switch rest.popFirst() {
            case "%": text += "%"
            case "u", "U":
                places += 1
                text += url
            case "c": text += name
            case "k": text += path
            // Deprecated codes stand for nothing.
            case "d", "D", "n", "N", "v", "m": break
            case "f", "F": throw Fault(reason: "it opens files only")
            default: throw Fault(reason: "a field code is unknown")
            }
        }
        return isCode && text.isEmpty ? [] : [text]
    }

    /// Characters that the specification allows in quotes only, as a shell would act on them.
    private static let reserved = "\t\n\"'\\><~|&;$*?#()`".unicodeScalars

    /// A value without the escapes that each string of an entry may have.
    private static func unescaped(_ value: String) throws(Fault) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        var rest = value.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "\\" else {
                result.append(scalar)
                continue
            }
            switch rest.popFirst() {
            case "s": result.append(" ")
            case "n": result.append("\n")
            case "t": result.append("\t")
            case "r": result.append("\r")
            case "\\": result.append("\\")
            default: throw Fault(reason: "a backslash escapes nothing")
            }
        }
        return result
    }
}
