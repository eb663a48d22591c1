import Testing
@testable import DaybookEncoding
