// DaybookLMDB
