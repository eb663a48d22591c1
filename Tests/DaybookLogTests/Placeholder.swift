import Testing
@testable import DaybookLog
