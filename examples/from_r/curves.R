# Survival curves of a Cox model of R, for `consurv conformalize`.
#
#   Rscript curves.R
#   consurv conformalize --curves cal.csv --outcomes outcomes.csv --new new.csv \
#     --interpolation step --out out/
#
# The data are `gbsg` of the survival package: 686 patients of the German Breast Cancer
# Study Group. Of these 343 train the model, 200 set the adjustment, 143 are new.
#
# It wrote the CSV files beside it, with R 4.2.2 and survival 3.5-3. same_in_python.py
# computes the same model (Cox, Breslow's ties and baseline; a ridge of 1e-9) with
# consurv's CoxPH; they agree to 2e-9.
library(survival)

train <- gbsg[1:343, ]
cal <- gbsg[344:543, ]
new <- gbsg[544:686, ]
fit <- coxph(Surv(rfstime, status) ~ age + size + nodes + pgr + hormon,
             data = train, ties = "breslow")

times <- seq(100, 2400, by = 100)
curves <- function(rows) {
  s <- summary(survfit(fit, newdata = rows), times = times, extend = TRUE)$surv
  data.frame(id = rows$pid, setNames(as.data.frame(t(s)), times), check.names = FALSE)
}
write.csv(curves(cal), "cal.csv", row.names = FALSE)
write.csv(curves(new), "new.csv", row.names = FALSE)

held <- rbind(cal, new)
write.csv(data.frame(id = held$pid, time = held$rfstime, event = held$status),
          "outcomes.csv", row.names = FALSE)
