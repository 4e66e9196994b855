//! Minimises a convex loss by L-BFGS.

use anyhow::Context;
use argmin::core::{CostFunction, Executor, Gradient, State};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;

struct Loss<F>(F);

impl<F: Fn(&[f64]) -> (f64, Vec<f64>)> CostFunction for Loss<F> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, theta: &Self::Param) -> Result<f64, argmin::core::Error> {
        Ok((self.0)(theta).0)
    }
}

impl<F: Fn(&[f64]) -> (f64, Vec<f64>)> Gradient for Loss<F> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, theta: &Self::Param) -> Result<Self::Gradient, argmin::core::Error> {
        Ok((self.0)(theta).1)
    }
}

pub(crate) fn minimum(n: usize, loss: impl Fn(&[f64]) -> (f64, Vec<f64>)) -> anyhow::Result<Vec<f64>> {
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), 8).with_tolerance_grad(1e-3)?;
    let found = Executor::new(Loss(loss), solver)
        .configure(|state| state.param(vec![0.0; n]).max_iters(400))
        .run()?;
    found.state().get_best_param().cloned().context("the loss has no minimum")
}
