import Testing
@testable import DaybookKeystore
