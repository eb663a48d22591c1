// DaybookSystem
