// DaybookLog
